"""Packing the fields of a skill into a zip package, and unpacking an uploaded one."""

from skills.packaging.packages import File, Package, extras, pack, pack_files, texts, unpack, unpack_files, zip_of
from skills.packaging.unpacking import UnpackedSkill, field_files, is_text, path_problem, with_name
from skills.packaging.zip_reading import PackageRefused
