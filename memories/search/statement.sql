-- The candidates of a search, with what ranking needs of each: one statement of the parts below.
--
-- Of `matched`, `by_words`, `nearest` and `by_meaning` a search takes one of two forms; `nearest` only where `by_meaning` reads it.
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
SELECT best.memory_id, best.position
FROM {pools}
CROSS JOIN LATERAL (
    SELECT best.memory_id, best.position
    FROM (
        SELECT memory_id, position
        FROM matched JOIN weights USING (mask)
        WHERE (share = 1) = pools.is_asked
        ORDER BY weight DESC, id DESC
        OFFSET 0
    ) AS best
    CROSS JOIN LATERAL (
        SELECT FROM memories_memory m WHERE m.id = best.memory_id AND {rest_of_memory} OFFSET 0
    ) AS wanted
    LIMIT pools.most
) AS best

-- part: by_words, few memories wanted
SELECT memory_id, position
FROM matched JOIN weights USING (mask)
WHERE {crowd}
ORDER BY weight DESC, id DESC
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

-- part: by_meaning
SELECT pools.is_asked, near.memory_id, near.position
FROM {pools}
CROSS JOIN LATERAL (
    SELECT p.memory_id, p.position
    FROM nearest
    CROSS JOIN LATERAL (
        SELECT p.memory_id, p.position
        FROM memories_passage p
        WHERE p.id = nearest.passage_id AND {passage}
            AND EXISTS (SELECT FROM memories_memory m WHERE m.id = p.memory_id AND {rest_of_memory})
        OFFSET 0
    ) AS p
    WHERE (share = 1) = pools.is_asked
    LIMIT pools.most
) AS near

-- part: by_meaning, few memories wanted
SELECT p.memory_id, p.position
FROM memories_memory m
JOIN memories_passage p ON p.memory_id = m.id
JOIN memories_vector v ON v.passage_id = p.id
WHERE %(has_vector)s AND v.model = %(model)s AND {vector} AND {memory} AND {crowd_of_vector}
ORDER BY v.embedding <#> %(vector)s::halfvec
LIMIT {pool}

-- part: ends_early
-- Whether filters left less than a pool of the nearest passages, while there are others further away.
SELECT FROM {pools}
WHERE (SELECT count(*) FROM nearest WHERE (share = 1) = pools.is_asked) >= %(most_nearest)s
    AND (SELECT count(*) FROM by_meaning WHERE by_meaning.is_asked = pools.is_asked) < pools.most

-- part: around
-- What was found, with the passages before and after it, and what ranking needs of the memory, looked up once for each.
-- A place that stands twice in the array is read once.
SELECT p.*, m.source, m.salience, m.confidence
FROM (
    SELECT memory_id, array_agg(place) AS places
    FROM (SELECT memory_id, position FROM by_words UNION SELECT memory_id, position FROM by_meaning) AS each
    CROSS JOIN LATERAL generate_series(position - %(neighbours)s, position + %(neighbours)s) AS place
    GROUP BY memory_id
) AS found
CROSS JOIN LATERAL (
    SELECT m.source, m.confidence, {salience} AS salience FROM memories_memory m WHERE m.id = found.memory_id OFFSET 0
) AS m
CROSS JOIN LATERAL (
    SELECT p.id, p.memory_id, p.position, p.part, p.type, p.actor, p.scope, p.search, {text} AS text
    FROM memories_passage p
    WHERE p.memory_id = found.memory_id AND p.position = ANY(found.places)
    OFFSET 0
) AS p

-- part: candidates
-- `similarity` is (a - m)(b - m) / |a - m| |b - m| of the vectors of length 1 of question a and passage b, from their
-- products with the mean m of all texts; the cosine where there is no mean. `text`: its beginning, all of it where words
-- may be repeated. What is told of the words, and of the search, stands in the first row alone.
SELECT
    p.id, p.memory_id::text, p.position, p.part, p.type, p.actor, p.source,
    {mask} AS mask,
    v.cosine,
    coalesce(
        (v.cosine - v.common - %(mean_offset)s) / (%(length)s * sqrt(greatest(1 - 2 * v.common + %(mean_square)s, 1e-6))),
        v.cosine
    ) AS similarity,
    p.salience,
    p.confidence,
    {share} AS share,
    p.text,
    CASE WHEN row_number() OVER () = 1 THEN (SELECT string_agg(idf::text, ' ' ORDER BY bit) FROM words) END AS idfs,
    CASE WHEN row_number() OVER () = 1 THEN (SELECT string_agg(rarity::text, ' ' ORDER BY bit) FROM words) END AS rarities,
    CASE WHEN row_number() OVER () = 1 THEN {ends_early} END AS ends_early
FROM around AS p
LEFT JOIN LATERAL (
    SELECT -(embedding <#> %(vector)s::halfvec) AS cosine, -(embedding <#> %(mean)s::halfvec) AS common
    FROM memories_vector
    WHERE passage_id = p.id AND model = %(model)s
    OFFSET 0
) AS v ON true
