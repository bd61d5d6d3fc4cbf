// Reads the version of this program from package.json.
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
