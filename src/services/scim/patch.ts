// Reads the operations of a PATCH request (RFC 7644 §3.5.2), in the forms that Okta and Entra ID send.
import { isRecord } from '../../lib/record.ts';
import { createScimError } from './scim-error.ts';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A change of the attribute at a path. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

const MAX_OPERATIONS = 1_000;
const OPS = ['add', 'remove', 'replace'] as const;

/**
 * Returns the operations. One without a path has an object as value, whose members are attributes or paths, and stands for one operation
 * each. The case of `op` does not matter. Throws 400, and 413 for too many.
 */
export function readOperations(body: unknown): readonly PatchOperation[] {
  const { schemas, Operations: operations } = isRecord(body) ? body : {};
  if (!Array.isArray(schemas) || !schemas.includes(PATCH_SCHEMA))
    throw createScimError('invalidSyntax', `schemas must contain ${PATCH_SCHEMA}.`);
  if (!Array.isArray(operations) || operations.length === 0)
    throw createScimError('invalidSyntax', 'Operations must be a list of at least one operation.');
  if (operations.length > MAX_OPERATIONS) throw createTooManyError();
  const all = operations.flatMap(readOperation);
  if (all.length > MAX_OPERATIONS) throw createTooManyError();
  return all;
}

const createTooManyError = () =>
  createScimError(
    'tooMany',
    `A request can have ${MAX_OPERATIONS} operations. Send them in several requests.`,
  );

function readOperation(operation: unknown): readonly PatchOperation[] {
  const { op: sentOp, path, value } = isRecord(operation) ? operation : {};
  const op = OPS.find(name => typeof sentOp === 'string' && sentOp.toLowerCase() === name);
  if (op === undefined)
    throw createScimError('invalidSyntax', 'The op of an operation must be add, remove or replace.');
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw createScimError('invalidPath', 'The path of an operation must be a string.');
  if (typeof path === 'string' && path !== '') return [{ op, path, value }];
  if (op === 'remove') throw createScimError('noTarget', 'The operation remove needs a path.');
  if (!isRecord(value))
    throw createScimError('invalidValue', 'The value of an operation without a path must be an object.');
  return Object.entries(value).map(([name, member]) => ({ op, path: name, value: member }));
}
