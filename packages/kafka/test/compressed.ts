/**
 * Batches as Kafka 4.3.1 writes them (MemoryRecords.withRecords): three records from offset 7 on, each with a repeated
 * header and a header without a value.
 */
export const JAVA_BATCHES = {
  gzip: 'AAAAAAAAAAcAAACl/////wLdqtXsAAEAAAACAAABm3ypjy4AAAGbfKmPMP//////////////////AAAAAx+LCAAAAAAAAP87wsTAwMBTWpxapGvwgbFaqSS/JDFHycpAR6kgMUXJSqmCDkCplo0rOTU+M4UjM0XXAMLkSkxPzMzjyMvPS2U8wsTAxARxoyGSGw0HzI2GWN3IwgJxoxGSG40GzI1GmG4EADW7PhrsAQAA',
  snappy:
    'AAAAAAAAAAcAAAC7/////wIamizXAAIAAAACAAABm3ypjy4AAAGbfKmPMP//////////////////AAAAA4JTTkFQUFkAAAAAAQAAAAEAAAB27AOAxAIAAAAMdXNlci0w8AF7InRvdGFsIjowLCJwYWQiOiJ4/gEAigEANCJ9BgpjZV9pZAhpZC0wCQtACmFnYWluCG5vbmUBxAIAAgIJpAAxHaQAMf6kAOKkAAAxUqQABAQECaQAMh2kADL+pADipAAAMkakAA==',
  lz4: 'AAAAAAAAAAcAAACy/////wJPcJe/AAMAAAACAAABm3ypjy4AAAGbfKmPMP//////////////////AAAAAwQiTRhgQIJyAAAA/xLEAgAAAAx1c2VyLTDwAXsidG90YWwiOjAsInBhZCI6IngBAFDiIn0GCmNlX2lkCGlkLTALAPICCmFnYWluCG5vbmUBxAIAAgKkABcxpAAfMaQAZh8xpAACIgQEpAAXMqQAHzKkAGYZMqQAUG5vbmUBAAAAAA==',
  zstd: 'AAAAAAAAAAcAAACg/////wINZalqAAQAAAACAAABm3ypjy4AAAGbfKmPMP//////////////////AAAAAyi1L/0AWBwDAIQExAIAAAAMdXNlci0w8AF7InRvdGFsIjowLCJwYWQiOiJ4In0GCmNlX2lkCGlkLTAKYWdhaW4Ibm9uZQHEAgACAjExMQQEMjIyCgDAEwvSgcgA1sAnFqSDyJ4MBl0GFZCCJwEAAA==',
} as const;

/** `'junction '.repeat(10_000)` as the lz4 command writes it, in blocks that need each other and have checksums. */
export const LZ4_LINKED_BLOCKS =
  'BCJNGFxAkF8BAAAAAABiEwEAAJ9qdW5jdGlvbiAJAP/////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////fUG5jdGlvpW7MjmkAAAAP+f///////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////9dQdGlvbiB22cagAAAAAKNr/Fk=';

/** The same text as the zstd command writes it. */
export const ZSTD_FRAME = 'KLUv/aSQXwEAjQAASGp1bmN0aW9uIAEAhF/MyxHTSnDh';

/** `'junction '.repeat(20)` in bare Snappy, as librdkafka writes it. */
export const SNAPPY_BARE = 'tAEganVuY3Rpb24g/gkA/gkAqgkA';
