export { bearer, grpcClient } from './grpc-client.js';
