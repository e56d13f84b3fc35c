/** The part of knex a migration of ours uses, so that this package needs no knex. */
export interface SqlRunner {
  raw(sql: string): PromiseLike<unknown>;
}

/** Fits `Migration` of @junction/eventsourcing-postgres, whose `migrate` runs it. */
export interface KitMigration {
  readonly name: string;
  up(db: SqlRunner): Promise<void>;
  down(db: SqlRunner): Promise<void>;
}
