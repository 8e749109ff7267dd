-- How many memories there were of each kind, as of one moment, in one pass over their table.
-- A row of the answer belongs to the one dimension that is not null; grouping() tells which that is.
WITH kept AS (
    SELECT DISTINCT memory_id FROM consolidation_commandfact WHERE NOT waits AND memory_id IS NOT NULL
), proposed AS (
    SELECT skill_id, max(created_at) AS since FROM skills_skillversion
    WHERE status = 'proposed' AND created_at <= %(at)s GROUP BY skill_id
), placed AS (
    SELECT
        CASE WHEN m.scope = ANY(%(scopes)s) THEN m.scope ELSE %(other_scopes)s END AS scope,
        m.sensitivity,
        CASE WHEN m.type <> ALL(%(experience)s) THEN m.status END AS status,
        CASE
            WHEN w.since > %(at)s - interval '1 day' THEN 'day'
            WHEN w.since > %(at)s - interval '7 days' THEN 'week'
            WHEN w.since > %(at)s - interval '30 days' THEN 'month'
            WHEN w.since IS NOT NULL THEN 'older'
        END AS waiting,
        CASE WHEN m.type <> ALL(%(experience)s) AND m.status = ANY(%(live)s)
            THEN least(m.confidence / 10, 9)::text END AS confidence,
        CASE WHEN m.status = ANY(%(live)s)
            THEN least(floor({salience} * 10), 9)::text END AS salience,
        CASE WHEN m.fades_at BETWEEN %(at)s AND %(horizon)s AND m.type = ANY(%(experience)s) AND NOT m.pinned
            AND m.deletion_policy = 'auto_prune' AND NOT m.evidence_of_live
            THEN floor(extract(epoch FROM m.fades_at - %(at)s) / 604800)::text END AS fades,
        CASE WHEN m.expires_at BETWEEN %(at)s AND %(horizon)s AND m.status = ANY(%(live)s)
            THEN floor(extract(epoch FROM m.expires_at - %(at)s) / 604800)::text END AS expires,
        CASE WHEN m.decay_due_at BETWEEN %(at)s AND %(horizon)s AND m.status = ANY(%(live)s)
            THEN floor(extract(epoch FROM m.decay_due_at - %(at)s) / 604800)::text END AS weakens
    FROM {memories} m
    LEFT JOIN consolidation_planshape p ON p.memory_id = m.id AND m.type = 'plan_graph'
    LEFT JOIN consolidation_pattern c ON c.memory_id = m.id AND m.type = 'competence'
    LEFT JOIN kept f ON f.memory_id = m.id
    LEFT JOIN consolidation_redundancy r ON r.memory_id = m.id AND r.at <= %(at)s
    LEFT JOIN proposed v ON v.skill_id = m.id
    CROSS JOIN LATERAL (
        SELECT CASE  -- since when it waits, by the rule of the review queue: not what is snoozed, or only kept
            WHEN m.type = ANY(%(experience)s) OR m.snoozed_until > %(at)s THEN NULL
            WHEN m.status = ANY(%(believed)s) THEN v.since
            WHEN m.status <> ALL(%(undecided)s) THEN NULL
            WHEN m.status = 'candidate' AND (
                p.memory_id IS NOT NULL OR NOT c.waits OR f.memory_id IS NOT NULL OR r.memory_id IS NOT NULL
            ) THEN NULL
            ELSE m.created_at
        END AS since
    ) w
    WHERE m.expires_at IS NULL OR m.expires_at > %(at)s
)
SELECT
    scope, sensitivity, coalesce({dimensions}) AS label,
    grouping({dimensions}) AS dimension, count(*) AS n
FROM placed
GROUP BY GROUPING SETS ({sets})
HAVING coalesce({dimensions}) IS NOT NULL
