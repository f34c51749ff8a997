"""Rule variants as data: one TOML file each, validated by `schema`, read by `load`."""

from montecarlo.variants.load import all_variants, load, variant_files
from montecarlo.variants.schema import Variant

__all__ = ["Variant", "all_variants", "load", "variant_files"]
