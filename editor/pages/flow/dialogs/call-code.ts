// Generates code that starts a run, per language.

export interface CallOf {
  readonly origin: string;
  readonly workflowId: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

const KEY = 'sk-…';

const bodyOf = ({ inputs }: CallOf): string => JSON.stringify({ inputs }, null, 2);
const pathOf = ({ origin, workflowId }: CallOf): string => `${origin}/api/v1/workflows/${workflowId}/run`;

export type Language = 'curl' | 'js' | 'python';

export const CODE: Readonly<Record<Language, (call: CallOf) => string>> = {
  curl: call => `curl -X POST '${pathOf(call)}' \\
  -H 'Authorization: Bearer ${KEY}' \\
  -H 'Content-Type: application/json' \\
  -H 'Prefer: wait=60' \\
  -d '${bodyOf(call).replaceAll("'", "'\\''")}'`,
  js: call => `const response = await fetch('${pathOf(call)}', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${KEY}',
    'content-type': 'application/json',
    prefer: 'wait=60',
  },
  body: JSON.stringify(${bodyOf(call).replaceAll('\n', '\n  ')}),
});
const run = await response.json();
console.log(run.status, run.outputs);`,
  // JSON in a raw string, because true, false and null differ in Python.
  python: call => `import json, urllib.request

request = urllib.request.Request(
    "${pathOf(call)}",
    data=json.dumps(json.loads(r'''${bodyOf(call)}''')).encode(),
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
