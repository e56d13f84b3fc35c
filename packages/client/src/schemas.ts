import type { components } from './gen/openapi.js';

/** Named schemas of the API: `Schemas['Webhook']`. */
export type Schemas = components['schemas'];

type Refusal = components['responses'][keyof components['responses']];
type CodeOf<R> = R extends {
  readonly content: { readonly 'application/problem+json': { readonly code: infer Code } };
}
  ? Code
  : never;

/** The codes of problems that the API tells today. One of tomorrow is another string. */
export type ProblemCode = CodeOf<Refusal>;
