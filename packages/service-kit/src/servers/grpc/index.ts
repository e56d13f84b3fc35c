export {
  closeGrpc,
  drainGrpc,
  type GrpcServer,
  type GrpcService,
  grpcServer,
} from './grpc-server.js';
export { type CallContext, clientStream, type Send, serverStream, unary } from './handlers.js';
