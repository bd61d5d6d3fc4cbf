// An ElevenLabs double: returns audio at once, or the API's own errors.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export async function startElevenLabs(file: Buffer): Promise<Double> {
  return startDouble((request: ReceivedRequest): Reply => {
    if (request.headers['xi-api-key'] !== 'xi-key') return refusal(401, 'invalid_api_key', 'Invalid API key');
    if (request.path.includes('/text-to-speech/nobody'))
      return refusal(404, 'voice_not_found', 'A voice with that id does not exist');
    return { status: 200, headers: { 'content-type': 'audio/mpeg', 'character-cost': '7' }, body: file };
  });
}

/** An error as the API writes it. `status` is the legacy name of the error, from before `code` existed. */
export function refusal(status: number, code: string, message: string, legacy = code): Reply {
  const type = status === 429 ? 'rate_limit_error' : 'invalid_request';
  return { status, body: { detail: { type, code, message, status: legacy, request_id: 'r1' } } };
}
