"""A believable small team for a look around: loaded through the same gates and verbs as real agents and people use."""

from memos_site.demo.loading import Busy, NotEmpty, holds_other_data, is_loaded, load, remove
