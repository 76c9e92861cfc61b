/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.util.regex.Pattern;

/** What a broken stepping transport does wrong, named after the rule; shows that the kit's tests can fail. */
enum Fault
{
    /** Gives a name that is not well formed (PRV-2). */
    PRV_2,
    /** Reports a foreign SPI version (PRV-3). */
    PRV_3,
    /** Takes any configuration key (PRV-4). */
    PRV_4,
    /** Lets {@code probe} throw (PRV-5). */
    PRV_5,
    /** Promises one worker more than it opens (PRV-6). */
    PRV_6,
    /** Offers region atomics without a scope (PRV-7). */
    PRV_7,
    /** Gives no reason for its verdict (CON-1). */
    CON_1,
    /** Says BACK_PRESSURED before the handshake is done (CON-2). */
    CON_2,
    /** Connects to any incarnation (CON-3). */
    CON_3,
    /** Never connects to the own rank (CON-4). */
    CON_4,
    /** Gives one channel for all connections to a peer (CON-5). */
    CON_5,
    /** Stops all channels to a peer while one of them waits for kernels (CON-6). */
    CON_6,
    /** Allocates memory with old bytes in it (MEM-1). */
    MEM_1,
    /** Allocates memory that a closed region left, as it is (MEM-1). */
    MEM_1_REUSED,
    /** Describes LOCAL regions (MEM-2). */
    MEM_2,
    /** Views memory in the foreign byte order (MEM-3). */
    MEM_3,
    /** Works on a copy of registered memory (MEM-4). */
    MEM_4,
    /** Refuses REMOTE registration that it offers (MEM-5). */
    MEM_5,
    /** Takes an unknown kind for HOST (MEM-6). */
    MEM_6,
    /** Imports a region as that of any rank (MEM-7). */
    MEM_7,
    /** Loses puts between kinds (MEM-8). */
    MEM_8,
    /** Gives no window to memory of the own rank (WIN-1). */
    WIN_1,
    /** Lets windows to parts of memory begin elsewhere (WIN-2). */
    WIN_2,
    /** Shows through windows what was there before (WIN-3). */
    WIN_3,
    /** Loses what is stored through windows (WIN-4). */
    WIN_4,
    /** Lets signals overtake what kernels store through windows (WIN-4). */
    WIN_4_SIGNAL,
    /** Closes an import with its window (WIN-5). */
    WIN_5,
    /** Does not take windows for local memory (WIN-6). */
    WIN_6,
    /** Starts a signal at 1 (SIG-1). */
    SIG_1,
    /** Allocates signals in memory that closed ones left, as it is (SIG-1). */
    SIG_1_REUSED,
    /** Adds to a neighbour now and then (SIG-2). */
    SIG_2,
    /** Lets totals of a signal overtake each other where there are no atomics (SIG-2). */
    SIG_2_OVERTAKEN,
    /** Allows one writer whatever was asked for (SIG-3). */
    SIG_3,
    /** Lets one thread read signals (SIG-4). */
    SIG_4,
    /** Resets signals when their channel is closed (SIG-5). */
    SIG_5,
    /** Imports signals as those of any rank (SIG-6). */
    SIG_6,
    /** Lets closed signals be read (SIG-7). */
    SIG_7,
    /** Lets one thread allocate (THR-2). */
    THR_2,
    /** Takes operations in only while the target makes progress (THR-3). */
    THR_3,
    /** Writes a byte too many for odd lengths (PUT-1). */
    PUT_1,
    /** Does not count puts of no bytes (PUT-2). */
    PUT_2,
    /** Reports puts as released at once (PUT-3). */
    PUT_3,
    /** Tears words that are put (PUT-4). */
    PUT_4,
    /** Reads a row from where it goes to (ROW-1). */
    ROW_1,
    /** Counts a call for no rows (ROW-2). */
    ROW_2,
    /** Reports rows as released at once (ROW-3). */
    ROW_3,
    /** Makes lists one entry short (ROW-4). */
    ROW_4,
    /** Reports loads as delivered at once (LOAD-1). */
    LOAD_1,
    /** Tears words of loads (LOAD-2). */
    LOAD_2,
    /** Ignores negative deltas (ADD-1). */
    ADD_1,
    /** Adds to regions without the capability (ADD-2). */
    ADD_2,
    /** Lets later operations overtake puts at a fence (ORD-2). */
    ORD_2,
    /** Does nothing to acquire (ORD-3). */
    ORD_3,
    /** Lets later operations overtake adds and loads at a fence (ORD-4). */
    ORD_4,
    /** Loses concurrent adds to a word (ORD-6). */
    ORD_6,
    /** Starts without waiting for the kernels (ORD-7). */
    ORD_7,
    /** Lets signals overtake what was sent before (ORD-8). */
    ORD_8,
    /** Orders signals behind the newest channel to the peer, not behind their own (ORD-8). */
    ORD_8_OTHER_CHANNEL,
    /** Loses the signal that was refused before (ORD-8). */
    ORD_8_LOST,
    /** Lets puts of host memory overtake those of other kinds at a fence (ORD-9). */
    ORD_9,
    /** Counts a load twice (POS-1). */
    POS_1,
    /** Lets the delivered position go back (POS-2). */
    POS_2,
    /** Stops to report deliveries at a position (POS-3). */
    POS_3,
    /** Reports as delivered what was only read (POS-4). */
    POS_4,
    /** Does adds that it refused (POS-5). */
    POS_5,
    /** Does signals that it refused (POS-5). */
    POS_5_SIGNAL,
    /** Moves the first half of puts that it refused (POS-5). */
    POS_5_PUT,
    /** Moves rows that it refused (POS-5). */
    POS_5_ROW,
    /** Moves the first half of what loads that it refused would bring (POS-5). */
    POS_5_LOAD,
    /** Refuses for ever once its queue was full (POS-6). */
    POS_6,
    /** Drops puts outside of regions silently (MIS-1). */
    MIS_1,
    /** Takes imports of others (MIS-2). */
    MIS_2,
    /** Takes closed regions and imports (MIS-3). */
    MIS_3,
    /** Takes any delta (MIS-4). */
    MIS_4,
    /** Takes any delta of a signal (MIS-4). */
    MIS_4_SIGNAL,
    /** Takes offsets that are not aligned (MIS-5). */
    MIS_5,
    /** Opens a worker index again (MIS-6). */
    MIS_6,
    /** Takes puts of any length (MIS-7). */
    MIS_7,
    /** Does not name the dead peer (FAIL-1). */
    FAIL_1,
    /** Fails the channels to living peers, too (FAIL-2). */
    FAIL_2,
    /** Goes back to not connected on failure (FAIL-3). */
    FAIL_3,
    /** Refuses wrong arguments on a failed channel (FAIL-3). */
    FAIL_3_CHECKED,
    /** Takes an idle peer for dead (FAIL-4). */
    FAIL_4,
    /** Leaves channels of a closed transport open (CLS-1). */
    CLS_1,
    /** Sends on after close (CLS-2). */
    CLS_2,
    /** Throws when a channel is closed twice (CLS-4). */
    CLS_4,
    /** Closes all channels with one (CLS-5). */
    CLS_5,
    /** Never frees a worker's index (CLS-6). */
    CLS_6,
    /** Executes in any order (KRN-1). */
    KRN_1,
    /** Lets the completed position go back (KRN-2). */
    KRN_2,
    /** Copies a byte too many (KRN-3). */
    KRN_3,
    /** Zeroes a byte too many (KRN-4). */
    KRN_4,
    /** Adds biases last (KRN-5). */
    KRN_5,
    /** Rounds products of weighted sums (KRN-6). */
    KRN_6,
    /** Divides by the scale (KRN-7). */
    KRN_7,
    /** Cuts instead of rounding (KRN-8). */
    KRN_8,
    /** Spoils rows that it sums in place (KRN-9). */
    KRN_9,
    /** Drops misuse silently (KRN-10). */
    KRN_10,
    /** Does not count operations of no rows (KRN-13). */
    KRN_13,
    /** Reads every source in region 0 (KRN-15). */
    KRN_15,
    /** Adds the sources of a part one by one (KRN-16). */
    KRN_16,
    /** Rounds no part (KRN-17). */
    KRN_17,
    /** Copies the first part only (KRN-18). */
    KRN_18,
    /** Copies a row to its first place only (KRN-19). */
    KRN_19,
    /** Looks at the rows of the call only (KRN-20). */
    KRN_20,
    /** Leaves out the scales (KRN-21). */
    KRN_21,
    /** Takes region 0 for one that is not set (KRN-22). */
    KRN_22,
    /** Gives a submission that is replayed the number of the one before (STP-1). */
    STP_1,
    /** Takes words of other calls (STP-2). */
    STP_2,
    /** Tells of rows that are on their way (STP-3). */
    STP_3,
    /** Orders rows as their sources come (STP-4). */
    STP_4,
    /** Takes a start that nobody gave (STP-5). */
    STP_5,
    /** Stores and reads what was granted long ago (STP-6). */
    STP_6,
    /** Waits for ever at the end of a step (STP-7). */
    STP_7,
    /** Has each block wait for all blocks of others (STP-8). */
    STP_8,
    /** Closes without waiting for steps (STP-9). */
    STP_9,
    /** Has a source that was lost amid its rows keep them in the ranges (STP-11). */
    STP_11;

    private static final Pattern RULE = Pattern.compile("([A-Z]+)_(\\d+).*");

    /** The rule that it breaks; a rule may be broken in several ways. */
    String rule()
    {
        return RULE.matcher(name()).replaceFirst("$1-$2");
    }
}
