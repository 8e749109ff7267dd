from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConsolidationConfig(AppConfig):
    name = "consolidation"
    verbose_name = _("Consolidation")

    def ready(self) -> None:
        from consolidation.guidance import holdback, skill_votes
        from consolidation.models import policies
        from consolidation.models.redundancies import kept_only
        from memories.metrics import tallies
        from memories.search import run_votes
        from memories.transfer import claim_writes, exporting

        run_votes.PROVIDERS.append(skill_votes.of_skills)  # the comparison of runs stands above the search
        run_votes.WITHHOLDING += [holdback.without, holdback.without_lessons]
        tallies.KEPT.append(kept_only())
        exporting.KEPT_ABOVE.append(policies.exported)
        claim_writes.KEEPERS.append(policies.keep_imported)
