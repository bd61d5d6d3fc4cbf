// The tools, in the order in which clients list them.
import type { Tool } from './tool.ts';
import { findNodes } from './tools/nodes.ts';

export const TOOLS: readonly Tool[] = [findNodes];
