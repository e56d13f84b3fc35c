/** Reason why a stored event cannot be read. `version_unknown`: newer code wrote the event. */
export type Unreadable = 'type_unknown' | 'version_unknown' | 'data_unfit';

/**
 * A stored event that this code cannot read. Its stream cannot be loaded and its followers stop there,
 * because a history with a hole in it leads to a wrong state: deploy the code that knows it.
 */
export class UnreadableEventError extends Error {
  constructor(
    readonly reason: Unreadable,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
