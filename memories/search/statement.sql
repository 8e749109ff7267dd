-- The candidates of a search, with what ranking needs of each: one statement of the parts below.
--
-- A search takes one of two forms of `matched`, `nearest` and `best`. Where few memories are wanted, `by_words` and
-- `by_meaning` find them instead of `nearest`.
-- Where scopes were asked, what lies in them and what is shared by all have a pool each ({pools}, and a part with {crowd}
-- stands once for each), see memories/search/candidates.py. `share` tells the one (1) from the other (less). Each mention of
-- memories_memory costs the planner a look at all its indexes, so that one part serves both where it can.
-- {braces}: conditions of memories/search/filters.py, and text that repeats for each word of the question.
-- %(names)s: parameters, see memories/search/plan.py. A question without words has no `query`, which matches nothing.
-- LATERAL (... OFFSET 0): the planner has no statistics of rows just computed, and would read whole tables. There a
-- memory is found by its id alone: {rest_of_memory} is without the conditions that its passage met, which would let the
-- planner choose an index over scopes or types.

-- part: matched
-- The passages that hold one of the words. `mask`: bit n is set where the passage holds word n; of more than 60 words an
-- array, of which number n / 60 has bit n of 60. {holds}: whether a mask of `masks` has the bit.
SELECT p.id, p.memory_id, p.position, {mask} AS mask, {share} AS share
FROM memories_passage p
WHERE p.search @@ %(query)s::tsquery AND {passage}
LIMIT %(most_matched)s

-- part: matched, few memories wanted
SELECT p.id, p.memory_id, p.position, {mask} AS mask, {share} AS share
FROM memories_passage p
JOIN memories_memory m ON m.id = p.memory_id
WHERE p.search @@ %(query)s::tsquery AND {passage} AND {memory}
LIMIT %(most_matched)s

-- part: masks
SELECT mask, count(*) AS passages
FROM matched
GROUP BY mask

-- part: frequencies
-- How many passages hold each word, and of how many: counted in what matched, estimated where that was limited.
SELECT
    bit,
    coalesce(
        (%(estimated_frequencies)s::float8[])[bit + 1],
        (SELECT sum(passages) FROM masks WHERE {holds}),
        0
    )::float8 AS holding,
    coalesce(%(estimated_total)s::float8, (SELECT sum(passages) FROM masks))::float8 AS total,
    (%(emphasis)s::float8[])[bit + 1] AS emphasis
FROM generate_series(0, %(last_word)s) AS bit

-- part: words
-- `idf` weighs a word in the ranking; `rarity`, as if there were a few passages more, in the relevance. Both are less where
-- only the talk around a question says the word, see memories/search/emphasis.py.
SELECT
    bit,
    emphasis * ln(1 + (greatest(total - holding, 0) + 0.5) / (holding + 0.5)) AS idf,
    emphasis * ln(1 + (greatest(coalesce(total, 0) + %(few_passages)s - holding, 0) + 0.5) / (holding + 0.5)) AS rarity
FROM frequencies

-- part: weights
SELECT mask, sum(idf) AS weight
FROM masks
JOIN words ON {holds}
GROUP BY mask

-- part: by_words
SELECT memory_id, position
FROM matched JOIN weights USING (mask)
WHERE {crowd}
ORDER BY weight DESC, id DESC
LIMIT {pool}

-- part: by_meaning
SELECT p.memory_id, p.position
FROM memories_memory m
JOIN memories_passage p ON p.memory_id = m.id
JOIN memories_vector v ON v.passage_id = p.id
WHERE %(has_vector)s AND v.model = %(model)s AND {vector} AND {memory} AND {crowd_of_vector}
ORDER BY v.embedding <#> %(vector)s::halfvec
LIMIT {pool}

-- part: nearest
SELECT v.passage_id, {share_of_crowd} AS share, v.embedding <#> %(vector)s::halfvec AS distance
FROM memories_vector v
WHERE %(has_vector)s AND v.model = %(model)s AND {vector} AND {crowd_of_vector}
ORDER BY distance
LIMIT %(most_nearest)s

-- part: nearest, by index
-- The index goes on where the filters leave too few, and then in an order that is nearly that of the distance.
SELECT *
FROM (
    SELECT
        v.passage_id,
        {share_of_vector} AS share,
        (v.embedding::halfvec({dimensions})) <#> (%(vector)s::halfvec({dimensions})) AS distance
    FROM memories_vector v
    WHERE v.model = %(model)s AND {vector}
    ORDER BY distance
    LIMIT %(most_nearest)s
) AS found
ORDER BY distance

-- part: best
-- The best passages of each pool, by words and by meaning, with what ranking needs of their memories.
SELECT pools.is_word, pools.is_asked, best.*
FROM {pools}
CROSS JOIN LATERAL (
    SELECT each.memory_id, each.position, m.source, m.confidence, m.salience
    FROM (
        (
            SELECT memory_id, position
            FROM matched JOIN weights USING (mask)
            WHERE pools.is_word AND (share = 1) = pools.is_asked
            ORDER BY weight DESC, id DESC
        )
        UNION ALL
        (
            SELECT p.memory_id, p.position
            FROM nearest
            CROSS JOIN LATERAL (
                SELECT p.memory_id, p.position FROM memories_passage p WHERE p.id = nearest.passage_id AND {passage} OFFSET 0
            ) AS p
            WHERE NOT pools.is_word AND (share = 1) = pools.is_asked
        )
    ) AS each
    CROSS JOIN LATERAL (
        SELECT m.source, m.confidence, {salience} AS salience
        FROM memories_memory m
        WHERE m.id = each.memory_id AND {rest_of_memory}
        OFFSET 0
    ) AS m
    LIMIT pools.most
) AS best

-- part: best, few memories wanted
SELECT each.memory_id, each.position, m.source, m.confidence, m.salience
FROM (SELECT memory_id, position FROM by_words UNION SELECT memory_id, position FROM by_meaning) AS each
CROSS JOIN LATERAL (
    SELECT m.source, m.confidence, {salience} AS salience FROM memories_memory m WHERE m.id = each.memory_id OFFSET 0
) AS m

-- part: ends_early
-- Whether filters left less than a pool of the nearest passages, while there are others further away.
SELECT FROM {pools}
WHERE NOT pools.is_word
    AND (SELECT count(*) FROM nearest WHERE (share = 1) = pools.is_asked) >= %(most_nearest)s
    AND (SELECT count(*) FROM best WHERE NOT best.is_word AND best.is_asked = pools.is_asked) < pools.most

-- part: candidates
-- First a row without a passage, which tells of the words and of the search; then what was found, and the passages before
-- and after it. A place that stands twice in the array is read once.
-- `similarity` is (a - m)(b - m) / |a - m| |b - m| of the vectors of length 1 of question a and passage b, from their
-- products with the mean m of all texts; the cosine where there is no mean. `text`: its beginning, all of it where words
-- may be repeated.
SELECT
    NULL AS id, NULL AS memory_id, NULL AS position, NULL AS part, NULL AS type, NULL AS actor, NULL AS source,
    NULL AS mask, NULL AS cosine, NULL AS similarity, NULL AS salience, NULL AS confidence, NULL AS share,
    NULL AS text,
    (SELECT string_agg(idf::text, ' ' ORDER BY bit) FROM words) AS idfs,
    (SELECT string_agg(rarity::text, ' ' ORDER BY bit) FROM words) AS rarities,
    {ends_early} AS ends_early
UNION ALL
SELECT
    p.id, p.memory_id::text, p.position, p.part, p.type, p.actor, found.source,
    {mask},
    v.cosine,
    coalesce(
        (v.cosine - v.common - %(mean_offset)s) / (%(length)s * sqrt(greatest(1 - 2 * v.common + %(mean_square)s, 1e-6))),
        v.cosine
    ),
    found.salience,
    found.confidence,
    {share},
    {text},
    NULL,
    NULL,
    NULL
FROM (
    SELECT memory_id, source, confidence, salience, array_agg(place) AS places
    FROM best
    CROSS JOIN LATERAL generate_series(position - %(neighbours)s, position + %(neighbours)s) AS place
    GROUP BY memory_id, source, confidence, salience
    OFFSET 0
) AS found
CROSS JOIN LATERAL (
    SELECT p.id, p.memory_id, p.position, p.part, p.type, p.actor, p.scope, p.search, p.text
    FROM memories_passage p
    WHERE p.memory_id = found.memory_id AND p.position = ANY(found.places)
    OFFSET 0
) AS p
LEFT JOIN LATERAL (
    SELECT -(embedding <#> %(vector)s::halfvec) AS cosine, -(embedding <#> %(mean)s::halfvec) AS common
    FROM memories_vector
    WHERE passage_id = p.id AND model = %(model)s
    OFFSET 0
) AS v ON true
