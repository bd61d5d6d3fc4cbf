// Defines the error of a graph whose calls of components cannot be expanded.

/** Codes of the error table, which this folder cannot import. */
export type ComponentErrorCode =
  | 'component_too_deep'
  | 'component_too_large'
  | 'component_circle'
  | 'component_missing'
  | 'component_forbidden'
  | 'cyclic_graph'
  | 'invalid_graph'
  | 'invalid_inputs';

export interface ComponentIssue {
  /** The path of the node, such as `call/inner`. */
  readonly nodeId: string;
  readonly edgeId?: string;
  readonly code: string;
  readonly message: string;
}

export class ComponentError extends Error {
  override readonly name = 'ComponentError';
  readonly code: ComponentErrorCode;
  readonly issues: readonly ComponentIssue[];
  /** For `component_circle`: the ids of the workflows in the cycle. The first and last id are equal. */
  readonly cycle: readonly string[];

  constructor(
    code: ComponentErrorCode,
    message: string,
    {
      nodeId,
      edgeId,
      issueCode = code,
      cycle = [],
    }: {
      readonly nodeId: string;
      readonly edgeId?: string;
      readonly issueCode?: string;
      readonly cycle?: readonly string[];
    },
  ) {
    super(message);
    this.code = code;
    this.issues = [{ nodeId, ...(edgeId === undefined ? {} : { edgeId }), code: issueCode, message }];
    this.cycle = cycle;
  }
}
