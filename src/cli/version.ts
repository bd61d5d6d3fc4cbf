// The version of this program, as package.json has it.
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
