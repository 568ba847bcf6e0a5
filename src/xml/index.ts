/** An element of a document, by identity. */
export type NodeId = number;
