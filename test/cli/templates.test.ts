// Tests what the command line says about templates that cannot run yet.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeNextStep, describeReadiness } from '../../src/cli/templates.ts';

const describeAll = (template: Parameters<typeof describeNextStep>[0]) => [
  describeReadiness(template),
  ...describeNextStep(template, 'wf_1'),
];

it('a template that runs can be run', () => {
  assert.deepEqual(describeAll({ runsNow: true, hasSample: true, needs: ['fal'] }), [
    'runs now',
    'Run it with: graphwright run wf_1',
  ]);
});

it('a template that needs providers asks for their keys', () => {
  assert.deepEqual(describeAll({ runsNow: false, hasSample: true, needs: ['fal', 'openai'] }), [
    'needs fal, openai',
    'See its sample results with: graphwright run wf_1 --use-sample',
    'To run its models, add a key first with: graphwright credentials add fal, graphwright credentials add openai',
  ]);
});

it('a template that cannot run for another reason asks for no key', () => {
  assert.deepEqual(describeAll({ runsNow: false, hasSample: false, needs: [] }), [
    'cannot run here',
    'Some of its nodes cannot run in this service. To see why, run it with: graphwright run wf_1',
  ]);
});
