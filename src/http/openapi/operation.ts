// Defines the types of the OpenAPI document, and of the operation tables in this folder.
import type { ErrorCode } from '../../lib/errors.ts';
import type { BodySchema } from '../body.ts';
import type { Reauthentication } from '../reauthentication.ts';

/**
 * An operation: its id, which names the SDK method; its description; the error codes that are specific to it; and the
 * statuses without a body that are missing in its route's schemas.
 */
export type OperationEntry = readonly [
  id: string,
  description: string,
  codes?: readonly ErrorCode[],
  statuses?: readonly number[],
];

/** Keyed by method and path, as in `GET /api/v1/nodes`. */
export type OperationTable = Readonly<Record<string, OperationEntry>>;

export interface Content {
  readonly schema?: BodySchema & Readonly<Record<string, unknown>>;
  readonly examples?: Readonly<Record<string, object>>;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Content>>;
  readonly links?: Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly in?: string; readonly name?: string; readonly $ref?: string }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly 'x-reauthentication'?: Reauthentication;
}

export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, object>>;
}
