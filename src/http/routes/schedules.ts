// Registers the routes for schedules.
import {
  changeSchedule,
  createSchedule,
  previewSchedule,
  removeSchedule,
} from '../../automation/schedules/change-schedule.ts';
import { listFiringPage, listSchedulePage, readSchedule } from '../../automation/schedules/read-schedule.ts';
import { backfillSchedule, runScheduleNow } from '../../automation/schedules/run-schedule.ts';
import {
  Backfill,
  BackfillBody,
  CreatedSchedule,
  CreateScheduleBody,
  FiringPage,
  PreviewBody,
  Schedule,
  SchedulePage,
  ScheduleParams,
  SchedulePreview,
  StartedFiring,
  UpdateScheduleBody,
} from '../../automation/schedules/schedule.schema.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';
import { START_ERRORS, sendStartedRun } from './runs.ts';

const operation = createDescriber('Automations');
const CHANGE_ERRORS = [...RESOURCE_ERRORS, 'invalid_inputs', 'not_published', 'conflict'] as const;

export function registerSchedules(server: Server, deps: RunDeps): void {
  server.post(
    '/api/v1/workflows/:id/schedules',
    operation('createSchedule', 'workflows:execute', {
      summary: 'Schedule a workflow',
      description:
        'Creates a schedule. Send `cron` with a `timeZone`, or `everySeconds`. Its runs have your permissions, and the workspace of the workflow pays for them. A workspace can have 100 active schedules.',
      errors: CHANGE_ERRORS,
      params: WorkflowParams,
      body: CreateScheduleBody,
      response: { 201: CreatedSchedule },
      inexactNumbers: 'reject',
    }),
    async (req, reply) => {
      const schedule = await createSchedule(deps, req.actor, req.params.id, req.body);
      return setCreated(deps, reply, `/api/v1/schedules/${schedule.id}`).send(schedule);
    },
  );
  server.get(
    '/api/v1/workflows/:id/schedules',
    operation('listWorkflowSchedules', 'workflows:read', {
      summary: 'List the schedules of a workflow',
      description: 'Returns the schedules of a workflow, newest first.',
      params: WorkflowParams,
      querystring: PageQuery,
      response: { 200: SchedulePage },
    }),
    req => listSchedulePage(deps, req.actor, req.query, req.params.id),
  );
  server.get(
    '/api/v1/schedules',
    operation('listSchedules', 'workflows:read', {
      summary: 'List schedules',
      description: 'Returns the schedules of all workflows that you may edit, newest first.',
      querystring: PageQuery,
      response: { 200: SchedulePage },
    }),
    req => listSchedulePage(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/schedules/preview',
    operation('previewSchedule', 'workflows:read', {
      summary: 'Preview a schedule',
      description: 'Returns the next five times of a cron expression or an interval. Stores nothing.',
      body: PreviewBody,
      response: { 200: SchedulePreview },
    }),
    req => previewSchedule(deps, req.actor, req.body),
  );
  server.get(
    '/api/v1/schedules/:id',
    operation('getSchedule', 'workflows:read', {
      summary: 'Read a schedule',
      description: 'Returns a schedule, when it runs next, and its last run.',
      params: ScheduleParams,
      response: { 200: Schedule },
    }),
    req => readSchedule(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/schedules/:id',
    operation('updateSchedule', 'workflows:execute', {
      summary: 'Change, pause or activate a schedule',
      description:
        'Changes the settings of a schedule. Set `isActive` to pause or continue it; times that pass while it is paused are not run. It still runs as the user who created it.',
      errors: CHANGE_ERRORS,
      params: ScheduleParams,
      body: UpdateScheduleBody,
      response: { 200: Schedule },
      inexactNumbers: 'reject',
    }),
    req => changeSchedule(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/schedules/:id',
    operation('deleteSchedule', 'workflows:execute', {
      summary: 'Delete a schedule',
      description: 'Deletes a schedule with its history. Its executions stay.',
      params: ScheduleParams,
      response: { 200: Success },
    }),
    req => toSuccess(removeSchedule(deps, req.actor, req.params.id)),
  );
  registerScheduleRuns(server, deps);
}

function registerScheduleRuns(server: Server, deps: RunDeps): void {
  server.post(
    '/api/v1/schedules/:id/run',
    operation('runSchedule', 'workflows:execute', {
      summary: 'Run a schedule now',
      description:
        'Starts a run of the schedule with your permissions, also if it is paused. The schedule itself does not change. Counts against the executions per minute.',
      errors: [...START_ERRORS, 'not_published'],
      params: ScheduleParams,
      response: { 202: StartedFiring },
      limit: 'executions',
    }),
    async (req, reply) => sendStartedRun(deps, reply, await runScheduleNow(deps, req.actor, req.params.id)),
  );
  server.post(
    '/api/v1/schedules/:id/backfill',
    operation('backfillSchedule', 'workflows:execute', {
      summary: 'Run a schedule for times in the past',
      description:
        'Runs the schedule for its past times between `from` and `to`, at most 100, one after the other. Times that an earlier request ran are left out, so that a repeated request starts no run twice; `repeat` runs them again. With `dryRun`, only returns the times and the cost of the runs.',
      errors: [...START_ERRORS, 'not_published', 'conflict'],
      params: ScheduleParams,
      body: BackfillBody,
      response: { 200: Backfill, 202: Backfill },
    }),
    async (req, reply) =>
      reply
        .code(req.body.dryRun === true ? 200 : 202)
        .send(await backfillSchedule(deps, req.actor, req.params.id, req.body)),
  );
  server.get(
    '/api/v1/schedules/:id/firings',
    operation('listFirings', 'workflows:read', {
      summary: 'List the firings of a schedule',
      description: 'Returns the outcome of each due time, newest first.',
      params: ScheduleParams,
      querystring: PageQuery,
      response: { 200: FiringPage },
      isUncacheable: true,
    }),
    req => listFiringPage(deps, req.actor, req.params.id, req.query),
  );
}
