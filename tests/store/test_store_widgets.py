"""The last texts of widgets, by directory and widget."""

from __future__ import annotations

import os

import pytest

from hookrun.store import CachedWidget, Store


@pytest.fixture
def store(tmp_path):
    store = Store(str(tmp_path / "state"))
    yield store
    store.close()
    assert store.problems == []


def test_a_widget_has_its_own_text_in_each_directory(store, tmp_path):
    one, other = str(tmp_path), str(tmp_path.parent)
    clock = CachedWidget(text="12:00", at=5.5, format="md", style="dim")
    store.keep_widget(one, "clock", clock)
    store.keep_widget(other, "clock", CachedWidget(text="13:00", at=6.0))
    store.keep_widget(one, "branch", CachedWidget(text="main", at=7.0))
    assert store.cached_widget(one, "clock") == clock
    assert store.cached_widget(other, "clock") == CachedWidget(text="13:00", at=6.0, format="text", style="")
    assert store.cached_widget(one, "branch").text == "main"
    assert store.cached_widget(other, "branch") is None


def test_a_newer_text_takes_the_place_of_the_older(store, tmp_path):
    store.keep_widget(str(tmp_path), "clock", CachedWidget(text="12:00", at=1.0))
    store.keep_widget(str(tmp_path), "clock", CachedWidget(text="", at=2.0))
    assert store.cached_widget(str(tmp_path), "clock") == CachedWidget(text="", at=2.0)


def test_texts_of_deleted_directories_go(store, tmp_path):
    gone, stays = tmp_path / "gone", tmp_path / "stays"
    for folder in (gone, stays):
        folder.mkdir()
        store.keep_widget(str(folder), "clock", CachedWidget(text="12:00", at=1.0))
    gone.rmdir()
    assert store.cached_widget(str(gone), "clock") is not None
    store.keep_widget(str(stays), "branch", CachedWidget(text="main", at=1.0))
    assert store.cached_widget(str(gone), "clock") is None
    assert store.cached_widget(str(stays), "clock") is not None


def test_texts_outlive_the_store(store, tmp_path):
    store.keep_widget(str(tmp_path), "clock", CachedWidget(text="12:00", at=1.0))
    other = Store(str(tmp_path / "state"))
    assert other.cached_widget(str(tmp_path), "clock") == CachedWidget(text="12:00", at=1.0)
    other.close()


def test_a_widget_that_was_never_kept_makes_no_database(store, tmp_path):
    assert store.cached_widget(str(tmp_path), "clock") is None
    assert not os.path.exists(tmp_path / "state")


def test_directories_and_texts_may_hold_any_bytes(store, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)
    store.keep_widget(folder, "w\ud800", CachedWidget(text="\udcff", at=1.0))
    assert store.cached_widget(folder, "w\ud800") == CachedWidget(text="\\udcff", at=1.0)


def test_keeping_a_widget_leaves_no_hint_pending(store, tmp_path):
    store.keep_widget(str(tmp_path), "clock", CachedWidget(text="12:00", at=1.0))
    assert not store.hints_may_be_pending()
    assert store.take_hints(session=None) == []
