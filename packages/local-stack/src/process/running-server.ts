/** The end of a server: either `code` or `signal` is null. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Describes the end of a server for the reader. */
export const inWords = ({ code, signal }: ServerExit): string =>
  signal === null ? `exit code ${code}` : signal;

/** A server that answers. The same whether it is a process of ours or a container. */
export interface RunningServer {
  readonly port: number;
  /** Process id of the server on this machine; undefined for a container. */
  readonly pid: number | undefined;
  /** Resolves when the server has ended, by `stop` or by itself. */
  readonly exited: Promise<ServerExit>;
  /** Ends the server in good order, or kills it when that takes too long. */
  stop(): Promise<void>;
}

/** A Postgres that answers queries. */
export interface PostgresServer extends RunningServer {
  /** The superuser's address of the database `postgres`. Holds a password: never print it. */
  readonly adminUrl: string;
  /** The address of a database for a role. */
  urlOf(database: string, role: string, password: string): string;
}

/** A Kafka broker that is registered and accepts requests. */
export interface KafkaServer extends RunningServer {
  /** Brokers in the form of KAFKA_BROKERS: host:port. */
  readonly brokers: string;
}
