// The forms that the document is made of: operations as they stand in it, and the lines of the tables next to this file.
import type { ErrorCode } from '../../lib/errors.ts';
import type { BodySchema } from '../body.ts';
import type { Reauthentication } from '../reauthentication.ts';

/**
 * The operation's id, as a method of an SDK would be called; what it does; the refusals that only it has; statuses
 * without a body that its route's schemas do not name.
 */
export type OperationLine = readonly [
  id: string,
  description: string,
  codes?: readonly ErrorCode[],
  statuses?: readonly number[],
];

/** By method and path, as the document has them: `GET /api/v1/nodes`. */
export type OperationLines = Readonly<Record<string, OperationLine>>;

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
