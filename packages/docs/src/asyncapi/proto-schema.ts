import {
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '@junction/contracts/descriptors';
import type { JsonSchema } from '../openapi/schemas.js';

const TIMESTAMP = 'google.protobuf.Timestamp';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));

/** A message of proto/ and the package it stands in, by its name without the package. */
export function messageNamed(name: string): {
  readonly message: DescMessage;
  readonly package: string;
} {
  for (const file of registry.files) {
    const message = file.messages.find((one) => one.name === name);
    if (message !== undefined) return { message, package: file.proto.package };
  }
  throw new Error(`proto/ has no message ${name}.`);
}

/** The canonical JSON of a message (ProtoJSON). Members that have their default value are left out of it. */
export const schemaOf = ({ fields }: DescMessage): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldSchema(field)])),
});

function fieldSchema(field: DescField): JsonSchema {
  if (field.fieldKind === 'map') return { type: 'object' };
  if (field.fieldKind !== 'list') return valueSchema(field.message, field.scalar);
  return { type: 'array', items: valueSchema(field.message, field.scalar) };
}

function valueSchema(message: DescMessage | undefined, scalar: ScalarType | undefined): JsonSchema {
  if (message?.typeName === TIMESTAMP) return { type: 'string', format: 'date-time' };
  if (message !== undefined) return schemaOf(message);
  if (scalar === ScalarType.BOOL) return { type: 'boolean' };
  // Integers of 64 bits are strings in JSON, because JavaScript cannot hold them all.
  return NUMBERS.some((number) => number === scalar) ? { type: 'number' } : { type: 'string' };
}

const NUMBERS = [ScalarType.DOUBLE, ScalarType.FLOAT, ScalarType.INT32, ScalarType.UINT32];
