import type Provider from 'oidc-provider';

/** A request and its answer, as our own pages see them: Koa's, before oidc-provider takes over. */
export type Context = Parameters<Parameters<Provider['use']>[0]>[0];

export type Route = (ctx: Context) => Promise<void>;
