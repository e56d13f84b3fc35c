export { closeGrpc, drainGrpc, type GrpcService, grpcServer } from './grpc-server.js';
export { clientStream, unary } from './handlers.js';
