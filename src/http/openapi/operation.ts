// Defines the description of a route, and the types of the OpenAPI document.
import type { FastifyContextConfig } from 'fastify';
import type { ErrorCode } from '../../lib/errors.ts';
import type { Reauthentication } from '../access.ts';
import type { BodySchema } from '../body.ts';
import type { RouteHeaders } from './headers.ts';

/** An operation that can follow a response, with parameters from the response. */
export interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

/** Describes a route, except for its schemas, to the service and in the OpenAPI document. */
export interface RouteDescription extends FastifyContextConfig, RouteHeaders {
  readonly startsRun?: boolean;
  readonly description: string;
  /**
   * The error codes that are specific to the route. Default: RESOURCE_ERRORS if it has path parameters, otherwise none. The
   * codes that follow from its access, parameters and body are added.
   */
  readonly errors?: readonly ErrorCode[];
  /** Statuses without a schema in `response`. */
  readonly otherStatuses?: readonly number[];
  /** The operations that can follow a response, by its status. */
  readonly links?: Readonly<Record<number, Readonly<Record<string, Link>>>>;
  /** Examples of responses that no test can record, by status. */
  readonly examples?: Readonly<Record<number, unknown>>;
  /** Whether the route reads the bytes of the body itself and sends errors as XML, as an S3 bucket does. */
  readonly isStorage?: boolean;
}

export interface Content {
  readonly schema?: BodySchema & Readonly<Record<string, unknown>>;
  readonly examples?: Readonly<Record<string, object>>;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Content>>;
  readonly links?: Readonly<Record<string, Link>>;
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
  /** The description of the route. Not part of the finished document. */
  readonly 'x-route'?: RouteDescription;
}

export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, object>>;
}
