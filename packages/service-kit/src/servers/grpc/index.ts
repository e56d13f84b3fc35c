export { closeGrpc, drainGrpc, type GrpcService, grpcServer } from './grpc-server.js';
export { clientStream, type Send, serverStream, unary } from './handlers.js';
