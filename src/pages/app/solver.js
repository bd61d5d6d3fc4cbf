// Runs in a worker on the page of an app: finds the number that solves a challenge.
const BATCH_SIZE = 256;
const encoder = new TextEncoder();

const toHex = buffer => [...new Uint8Array(buffer)].map(byte => byte.toString(16).padStart(2, '0')).join('');

async function solve({ algorithm, challenge, salt, maxnumber }) {
  for (let start = 0; start <= maxnumber; start += BATCH_SIZE) {
    const numbers = Array.from({ length: BATCH_SIZE }, (_, index) => start + index);
    const hashes = await Promise.all(
      numbers.map(number => crypto.subtle.digest(algorithm, encoder.encode(salt + number))),
    );
    const index = hashes.findIndex(hash => toHex(hash) === challenge);
    if (index >= 0) return start + index;
  }
  return undefined;
}

self.onmessage = async ({ data }) => self.postMessage(await solve(data));
