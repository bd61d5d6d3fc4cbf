// Defines the Fastify server and the dependencies with which routes are registered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { EditorFiles } from '../bundle/editor-files.ts';
import type { RunDeps } from '../runs/deps.ts';

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface HttpDeps extends RunDeps {
  /** The files of the web application. */
  readonly editor: EditorFiles;
  /** Origins, besides the service itself, that the application may load media from and upload to. */
  readonly mediaOrigins: readonly string[];
}
