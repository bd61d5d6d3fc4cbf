// Receives the notifications with which providers report that a provider call has ended.
import { Type } from 'typebox';
import { createCallbackReceiver } from '../../runs/calls/callbacks.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../runs/read/run-response.schema.ts';
import type { Server } from '../deps.ts';
import { readBytes } from '../read-bytes.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Provider callbacks');
// Some providers include the result, which the service does not read.
const MAX_BODY_BYTES = 1_048_576;

export function registerProviderCallbacks(server: Server, deps: RunDeps): void {
  const receive = createCallbackReceiver(deps);
  server.register(async (scope: Server) => {
    scope.removeAllContentTypeParsers();
    // Signatures are of the raw bytes.
    scope.addContentTypeParser('*', readBytes);
    scope.post(
      '/hooks/:provider/:token',
      {
        ...operation('receiveProviderHook', 'public', {
          summary: 'Receive a signed notification from a provider',
          description:
            'Receives a notification from a provider that a task has ended, and resumes the run, which requests the result from the provider.',
          errors: ['not_found', 'unauthorized', 'forbidden'],
          params: Type.Object({
            provider: Type.String({ maxLength: 40 }),
            token: Type.String({ maxLength: 100 }),
          }),
          limit: 'none',
          response: { 200: Success },
          examples: { 200: { success: true } },
        }),
        bodyLimit: MAX_BODY_BYTES,
      },
      async req => {
        const { provider, token } = req.params;
        const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
        await receive({ provider, token, headers: req.headers, body });
        return { success: true as const };
      },
    );
  });
}
