// Defines the dependencies of routes: those of all services, and those that only HTTP needs.
import type { EditorFiles } from '../bundle/editor-files.ts';
import type { RunDeps } from '../runs/deps.ts';

export interface HttpDeps extends RunDeps {
  /** The files of the web application. */
  readonly editor: EditorFiles;
  /** Origins, besides the service itself, that the application may load media from and upload to. */
  readonly mediaOrigins: readonly string[];
}
