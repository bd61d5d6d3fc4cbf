// Renders the markdown of long pages in a worker thread.
import { serveTasks } from '../lib/threads/serve.ts';
import { renderMarkdown } from './markdown.ts';

serveTasks<readonly string[], string[]>(parts => parts.map(renderMarkdown));
