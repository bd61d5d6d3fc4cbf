// Names the pools of ComfyUI servers.

/** The pool of servers that name none, and of workflows that choose none. */
export const DEFAULT_POOL = 'default';
