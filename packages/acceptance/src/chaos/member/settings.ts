/** The variable that holds the settings of a process. Not an argument: they hold a password. */
export const SETTINGS_VARIABLE = 'CHAOS_MEMBER';

/** Settings of a process. */
export interface MemberSettings {
  /** `writer-1`, `relay-2`, … The part before the hyphen says what it does. */
  readonly name: string;
  readonly seed: number;
  readonly databaseUrl: string;
  /** host:port */
  readonly brokers: string;
  /** File in which a writer keeps its history. */
  readonly historyFile: string;
  /** Once this file is there, writers finish what they have begun, and end. */
  readonly endFile: string;
}
