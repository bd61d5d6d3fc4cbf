// Lists the tools in the order in which clients see them.
import type { Tool } from './tool.ts';
import { decideApprovalTool, listApprovalsTool } from './tools/approvals.ts';
import { findAppsTool, runAppTool } from './tools/apps.ts';
import {
  cloneTemplateTool,
  createWorkflowTool,
  editWorkflowTool,
  updateConfigTool,
} from './tools/authoring.ts';
import { listAutomationsTool, runAutomationTool, setAutomationActiveTool } from './tools/automations.ts';
import { getBatchTool, runBatchTool } from './tools/batches.ts';
import { checkWorkflowTool } from './tools/checking.ts';
import { addMediaTool } from './tools/media.ts';
import { findNodesTool } from './tools/nodes.ts';
import { publishWorkflowTool } from './tools/publishing.ts';
import { getWorkflowTool, listWorkflowsTool } from './tools/reading.ts';
import { cancelExecutionTool, getExecutionTool, runWorkflowTool } from './tools/running.ts';
import { listTemplatesTool } from './tools/templates.ts';

export const TOOLS: readonly Tool[] = [
  findNodesTool,
  listWorkflowsTool,
  getWorkflowTool,
  createWorkflowTool,
  editWorkflowTool,
  updateConfigTool,
  checkWorkflowTool,
  runWorkflowTool,
  getExecutionTool,
  cancelExecutionTool,
  listApprovalsTool,
  decideApprovalTool,
  runBatchTool,
  getBatchTool,
  listAutomationsTool,
  setAutomationActiveTool,
  runAutomationTool,
  findAppsTool,
  runAppTool,
  listTemplatesTool,
  cloneTemplateTool,
  publishWorkflowTool,
  addMediaTool,
];
