def test_mint(mint_episode):
    mint_episode.assert_solved()
