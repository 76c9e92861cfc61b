/**
 * The transport {@code ${transport}}. It begins as one over files that ranks of one host map.
 */
package ${package};
