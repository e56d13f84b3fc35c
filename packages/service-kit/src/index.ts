export * from './callers/index.js';
export * from './process/index.js';
export * from './servers/grpc/index.js';
export * from './servers/http/index.js';
