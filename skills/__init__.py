"""What agents can: competence memories with packages that are downloaded.

models.py, manifest.py, names.py, former_names.py   the tables, the fields of a version, what a skill is called
publishing.py                               a version is packed, scanned, proposed, published, rejected or retired
importing.py, merging.py                    where it comes from: an upload, or the former version and new runs
revising.py, file_edits.py, renaming.py, diffs.py   what people change, and what differs
downloads.py, outcomes.py                   how agents get it, and how its uses end
orphans.py, scanning_again.py, checks.py    packages that are lost, scans that took too long, checks at the start
markdown.py, packaging/                     SKILL.md and zip
scanning/, storages/                        what a version holds; where packages lie
"""
