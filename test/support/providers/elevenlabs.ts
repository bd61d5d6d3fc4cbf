// Starts a double of ElevenLabs, which returns audio or errors in the API's format.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export async function startElevenLabs(file: Buffer): Promise<Double> {
  return startDouble((request: ReceivedRequest): Reply => {
    if (request.headers['xi-api-key'] !== 'xi-key')
      return createErrorReply(401, 'invalid_api_key', 'Invalid API key');
    if (request.path.includes('/text-to-speech/nobody'))
      return createErrorReply(404, 'voice_not_found', 'A voice with that id does not exist');
    return { status: 200, headers: { 'content-type': 'audio/mpeg', 'character-cost': '7' }, body: file };
  });
}

/** Creates an error response of the API. Its field `status` is the legacy name of the error. */
export function createErrorReply(status: number, code: string, message: string, legacyName = code): Reply {
  const type = status === 429 ? 'rate_limit_error' : 'invalid_request';
  return { status, body: { detail: { type, code, message, status: legacyName, request_id: 'r1' } } };
}
