export type { Answer, Body, Init, ItemOf, ListPath, Method, PathsWith, Rest } from './calls.js';
export { type ClientOptions, createClient, type JunctionClient } from './client.js';
export { type components, type paths, QUERIES, type QueryParameter } from './gen/openapi.js';
export { JunctionProblem, JunctionUnreachableError } from './problem.js';
export type { ProblemCode, Schemas } from './schemas.js';
export type { Credential, Tokens } from './tokens.js';
