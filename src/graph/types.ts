// Defines the graph as clients write it and as the service stores it: plain, frozen data.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Port types. A LIST or ANY port takes a list as one value. For any other port, the node is mapped over the list. */
export const PORT_TYPES = ['TEXT', 'NUMBER', 'JSON', 'IMAGE', 'VIDEO', 'AUDIO', 'LIST', 'ANY'] as const;
export type PortType = (typeof PORT_TYPES)[number];

/** Types of config fields: the port types, and types that no edge carries. */
export const FIELD_TYPES = [...PORT_TYPES, 'BOOLEAN'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const CATEGORIES = ['model', 'input', 'utility', 'output', 'logic'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Port {
  readonly id: string;
  readonly label: string;
  readonly type: string;
}

export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface Dims {
  readonly width: number;
  readonly height: number;
  readonly source: 'measured' | 'declared' | 'estimated';
}

export interface NodeData {
  readonly label: string;
  readonly category: string;
  readonly nodeType: string;
  readonly config?: JsonObject;
  readonly params?: JsonObject;
  readonly inputs?: readonly Port[];
  readonly outputs?: readonly Port[];
  readonly [key: string]: unknown;
}

/** The key of a `ComponentMark`. A symbol, because stored nodes may have any other key. */
export const COMPONENT = Symbol('component');

/** Marks a node of a run that is inside a component. */
export interface ComponentMark {
  /** The path of the component call, such as `call/inner`. */
  readonly path: string;
  /** The components that contain the node, outermost first. */
  readonly workflowIds: readonly string[];
  /** Whether the node is an output of a component that the workflow calls directly, and feeds no other node. */
  readonly isOutput: boolean;
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly position: Position;
  readonly data: NodeData;
  readonly dims?: Dims;
  readonly [COMPONENT]?: ComponentMark;
  readonly [key: string]: unknown;
}

export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle?: string | null;
  readonly targetHandle?: string | null;
  readonly [key: string]: unknown;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A media file as it is passed between nodes: by reference, never by bytes. */
export interface MediaRef {
  readonly mediaId: string;
  readonly url: string;
  readonly contentType: string;
  /** Hex SHA-256 of the bytes, which identifies the media in keys of the node cache. */
  readonly sha256: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  /** The seed from which a model made the media. */
  readonly seed?: number;
  /** Set if the service rendered the video. */
  readonly render?: RenderInfo;
}

export interface RenderInfo {
  readonly posterId: string;
  readonly posterUrl: string;
  readonly fps: number;
  readonly frameCount: number;
  /** The codecs that made the file. */
  readonly backend: string;
  /** JSON pointers to scene nodes that could not be drawn or played. */
  readonly warnings: readonly string[];
}

/** A value that flows along an edge. Tagged, so that a JSON array is never mistaken for a list. */
export type Value =
  | { readonly type: 'TEXT'; readonly text: string }
  | { readonly type: 'NUMBER'; readonly number: number }
  /**
   * `exactText` is the JSON text as it was sent, if JSON.stringify would change it: long numbers, another key order.
   */
  | { readonly type: 'JSON'; readonly json: Json; readonly exactText?: string }
  | { readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO'; readonly media: MediaRef }
  | { readonly type: 'LIST'; readonly items: readonly Value[] };

/** Output port id → value. A port without a value is absent. */
export type Values = Readonly<Record<string, Value>>;

/** An object with unknown members. */
export type UnknownObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is UnknownObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isJsonObject = (value: unknown): value is JsonObject => isObject(value);

/** Returns the object, or an empty one for anything else. */
export const toObject = (value: unknown): UnknownObject => (isObject(value) ? value : {});
