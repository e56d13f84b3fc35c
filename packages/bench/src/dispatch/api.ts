/** A request to the public API. */
export interface ApiRequest {
  readonly path: string;
  /** Absent: GET, or DELETE where `method` says so. */
  readonly body?: object;
  readonly method?: 'DELETE';
  readonly signal?: AbortSignal;
}

/** Asks with a user's token. Returns the answer, read to its end. */
export async function askApi(
  base: string,
  token: string,
  { path, body, method, signal }: ApiRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${base}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return { status: answer.status, text: await answer.text() };
}
