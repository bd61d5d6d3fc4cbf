// Defines graphs that fail or wait, for the tests of automations.
import { edge, node } from '../support/workflows.ts';

/** A graph that waits for an approval, so that a run stays active until a test ends the run. */
export const APPROVAL_GRAPH = {
  nodes: [node('who', 'input:text'), node('ask', 'logic:approval'), node('out', 'output:preview')],
  edges: [edge('who.text > ask.input'), edge('ask.approved > out.input')],
};

/** A graph that fails, because no server listens on the port. */
export const FAILING_GRAPH = {
  nodes: [
    node('call', 'utility:http_request', { url: 'http://127.0.0.1:9/' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('call.text > out.input')],
};
