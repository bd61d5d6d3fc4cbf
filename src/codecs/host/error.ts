// Defines an error that the parent process recognizes by the exit code.
import { EXIT_UNSUPPORTED } from '../command.ts';

export class HostError extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const createUnsupportedError = (codec: string | null): HostError =>
  new HostError(EXIT_UNSUPPORTED, `The codec ${codec ?? 'of the track'} is not supported.`);
