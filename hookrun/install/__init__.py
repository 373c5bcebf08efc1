"""The bridge put into agents' settings and taken out again, and what is there of it."""

from hookrun.agents.settings import installations as installations
from hookrun.install.bridges import Bridge as Bridge
from hookrun.install.bridges import bridge_document as bridge_document
from hookrun.install.bridges import find_bridges as find_bridges
from hookrun.install.installing import ALREADY as ALREADY
from hookrun.install.installing import CHANGED as CHANGED
from hookrun.install.installing import CREATED as CREATED
from hookrun.install.installing import NOTHING as NOTHING
from hookrun.install.installing import REFUSED as REFUSED
from hookrun.install.installing import FileStep as FileStep
from hookrun.install.installing import Step as Step
from hookrun.install.installing import difference as difference
from hookrun.install.installing import install_agent as install_agent
from hookrun.install.installing import known_from as known_from
from hookrun.install.installing import steps_document as steps_document
from hookrun.install.installing import uninstall_agent as uninstall_agent
from hookrun.install.place import InstallPlace as InstallPlace
from hookrun.install.place import agents_here as agents_here
from hookrun.install.place import find_place as find_place
