"""The bridge put into agents' settings and taken out again, and what is there of it."""

from hookrun.faces.install.bridges import Bridge as Bridge
from hookrun.faces.install.bridges import bridge_document as bridge_document
from hookrun.faces.install.bridges import find_bridges as find_bridges
from hookrun.faces.install.installing import ALREADY as ALREADY
from hookrun.faces.install.installing import CHANGED as CHANGED
from hookrun.faces.install.installing import CREATED as CREATED
from hookrun.faces.install.installing import NOTHING as NOTHING
from hookrun.faces.install.installing import REFUSED as REFUSED
from hookrun.faces.install.installing import FileStep as FileStep
from hookrun.faces.install.installing import Step as Step
from hookrun.faces.install.installing import install_agent as install_agent
from hookrun.faces.install.installing import uninstall_agent as uninstall_agent
from hookrun.faces.install.place import Place as Place
from hookrun.faces.install.place import agents_here as agents_here
from hookrun.faces.install.place import find_place as find_place
from hookrun.faces.install.report import difference as difference
from hookrun.faces.install.report import known_from as known_from
from hookrun.faces.install.report import steps_document as steps_document
from hookrun.faces.install.wirings import WIRINGS as WIRINGS
