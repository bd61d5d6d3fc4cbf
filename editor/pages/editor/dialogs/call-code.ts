// Generates code that starts a run, in several languages.

export interface RunCall {
  readonly origin: string;
  readonly workflowId: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Whether the code requests sample results, because a provider is missing. */
  readonly usesSample: boolean;
}

const KEY = 'sk-…';

const toBody = ({ inputs, usesSample }: RunCall): string =>
  JSON.stringify({ inputs, ...(usesSample ? { useSample: true } : {}) }, null, 2);
const toUrl = ({ origin, workflowId }: RunCall): string => `${origin}/api/v1/workflows/${workflowId}/run`;

export type Language = 'curl' | 'js' | 'python';

export const GENERATORS: Readonly<Record<Language, (call: RunCall) => string>> = {
  curl: call => `curl -X POST '${toUrl(call)}' \\
  -H 'Authorization: Bearer ${KEY}' \\
  -H 'Content-Type: application/json' \\
  -H 'Prefer: wait=60' \\
  -d '${toBody(call).replaceAll("'", "'\\''")}'`,
  js: call => `const response = await fetch('${toUrl(call)}', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${KEY}',
    'content-type': 'application/json',
    prefer: 'wait=60',
  },
  body: JSON.stringify(${toBody(call).replaceAll('\n', '\n  ')}),
});
const run = await response.json();
console.log(run.status, run.outputs);`,
  // Uses JSON in a raw string, because true, false and null differ in Python.
  python: call => `import json, urllib.request

request = urllib.request.Request(
    "${toUrl(call)}",
    data=json.dumps(json.loads(r'''${toBody(call).replaceAll("'''", String.raw`\u0027\u0027\u0027`)}''')).encode(),
    headers={
        "Authorization": "Bearer ${KEY}",
        "Content-Type": "application/json",
        "Prefer": "wait=60",
    },
)
with urllib.request.urlopen(request) as response:
    run = json.load(response)
print(run["status"], run.get("outputs"))`,
};
