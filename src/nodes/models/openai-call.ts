// Calls OpenAI, or the named server that a node chooses.
import { createOpenAiProvider, createServerProvider, type OpenAiCall } from '../../providers/openai.ts';
import type { DownloadedOutput } from '../../providers/run-call.ts';
import type { NodeContext } from '../define.ts';
import { callProvider } from './provider-call.ts';
import { findServer, toOpenAiKey } from './servers.ts';

/** Makes the call with the credential that the config chooses. Throws like `callProvider`. */
export const callOpenAi = (
  config: { readonly server: string | undefined },
  call: OpenAiCall,
  ctx: NodeContext,
): Promise<DownloadedOutput> =>
  callProvider(
    toOpenAiKey(config),
    findServer(config) === undefined ? createOpenAiProvider : createServerProvider,
    call,
    ctx,
  );
