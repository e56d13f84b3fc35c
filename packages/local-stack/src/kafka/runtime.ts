import { LocalStackError } from '../local-stack-error.js';
import { findKafka, jarsIn } from '../preflight/kafka.mjs';
import { fetchKafkaJars } from '../preflight/kafka-jars.mjs';

/** The Java and the jars that the broker runs on. */
export interface KafkaRuntime {
  readonly java: string;
  /** The folder of its jars. */
  readonly jars: string;
}

/**
 * Java and the broker's jars, fetched when they are not there yet. Throws one LocalStackError that
 * names everything missing and how to install it.
 */
export async function kafkaRuntime(options: {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}): Promise<KafkaRuntime> {
  const { java, jars, maven, mistake } = await findKafka(options.env, options.cacheDir);
  if (java !== undefined && jars !== undefined) return { java, jars };
  if (java !== undefined && maven !== undefined) {
    const failure = await fetchKafkaJars({ ...options, maven });
    if (failure !== undefined) throw new LocalStackError(failure);
    return { java, jars: jarsIn(options.cacheDir) };
  }
  throw new LocalStackError(mistake ?? 'Kafka cannot be run here.');
}
