import type { Server } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { descriptorSet } from '@junction/contracts/descriptors';

/** Lets tools like grpcurl ask what these services offer (grpc.reflection.v1 and v1alpha). */
export function addReflection(server: Server, services: readonly string[]): void {
  const definitions = loadFileDescriptorSetFromBuffer(Buffer.from(descriptorSet));
  new ReflectionService(definitions, { services: [...services] }).addToServer(server);
}
