/** The variable in which a process is told what it is. Not an argument: it holds a password. */
export const SETTINGS_VARIABLE = 'CHAOS_MEMBER';

/** What a process has to know. */
export interface MemberSettings {
  /** `writer-1`, `relay-2`, … The part before the hyphen says what it does. */
  readonly name: string;
  readonly seed: number;
  readonly databaseUrl: string;
  /** host:port */
  readonly brokers: string;
  /** Where a writer keeps its history. */
  readonly historyFile: string;
  /** Once this file is there, writers finish what they have begun, and end. */
  readonly endFile: string;
}
